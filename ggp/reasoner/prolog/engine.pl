/*  The Prolog side of the reasoner.

    A game is translated (translate.py) into predicates of four modules, by what they rest on:

        rules    static relations, as the rulesheet defines them
        static   the same, enumerated once into facts where they are few enough
        state    relations that depend on the state:      state:'g:true'/1 holds its facts
        move     relations that depend on a joint move:   move:'g:does'/2 holds it

    and the module `game` names the five questions: init/1, next/1, legal/2, goal/2, terminal/0.

    Terms cross to Python as numbers. term_number/2 gives one to every fact and move when it is
    first seen; the reply that first uses a number also carries the term's text, in KIF.
*/

:- module(engine, [answer/2]).

:- use_module(library(apply)).
:- use_module(library(lists)).
:- use_module(library(random)).

:- dynamic term/2, news/2, terms/1.
:- dynamic state:'g:true'/1, move:'g:does'/2.

%!  start is det.
%
%   Enumerate the static relations and forget what loading left behind.

start :-
    trie_new(Trie),
    asserta(terms(Trie)),
    bound_tables(1000),
    forall(game:static_relation(Name, Arity), enumerate(Name, Arity)),
    bound_tables(infinite).

% A static relation larger or dearer than this stays a rule: enumerating it need not end.
enumeration_limit(3_000_000).

% Neither does it end where terms grow without bound, and storing those is dear.
bound_tables(Size) :-
    set_prolog_flag(max_table_answer_size_action, error),
    set_prolog_flag(max_table_subgoal_size_action, error),
    set_prolog_flag(max_table_answer_size, Size),
    set_prolog_flag(max_table_subgoal_size, Size).

enumerate(Name, Arity) :-
    functor(Head, Name, Arity),
    enumeration_limit(Limit),
    (   catch(call_with_inference_limit(findall(Head, rules:Head, Found), Limit, Result), _, fail),
        Result \== inference_limit_exceeded,
        ground(Found)
    ->  sort(Found, Facts),
        dynamic(static:Name/Arity),
        forall(member(Fact, Facts), assertz(static:Fact)),
        ( Facts == [] -> true ; compile_predicates([static:Name/Arity]) )  % it forgets empty ones
    ;   assertz((static:Head :- rules:Head))
    ),
    abolish_module_tables(rules).

%!  answer(:Question, -Reply:string) is det.
%
%   Reply is what the question writes, a form feed, and a line for each term that got its number
%   meanwhile. An exception becomes a reply that begins with `error`.

answer(Question, Reply) :-
    catch(with_output_to(string(Body), Question), Error, true),
    (   var(Error)
    ->  with_output_to(string(News), write_news),
        atomic_list_concat([Body, "\f", News], Text), atom_string(Text, Reply)
    ;   error_class(Error, Class),
        message_to_codes(Error, Message),
        format(string(Reply), "error ~w ~s", [Class, Message])
    ),
    !.
answer(_, "error failed the question has no answer").

error_class(error(resource_error(_), _), memory) :- !.
error_class(game_error(_), game) :- !.
error_class(no_legal_move, stuck) :- !.
error_class(too_many(_), joint) :- !.
error_class(_, prolog).

message_to_codes(game_error(Text), Codes) :- !, format(codes(Codes), "~w", [Text]).
message_to_codes(too_many(Count), Codes) :- !, format(codes(Codes), "~w", [Count]).
message_to_codes(Error, Codes) :-
    format(codes(Codes), "~W", [Error, [max_depth(6), quoted(true)]]).

write_news :-
    forall(retract(news(Number, Term)), (format("~w ", [Number]), write_kif(Term), nl)).

%!  term_number(+Term, -Number) is det.
%
%   The number of a ground term, a new one if it has none yet.

term_number(Term, Number) :-
    terms(Trie),
    (   trie_lookup(Trie, Term, Known)
    ->  Number = Known
    ;   check_term(Term),
        flag(terms, Number, Number + 1),
        trie_insert(Trie, Term, Number),
        assertz(term(Number, Term)),
        assertz(news(Number, Term))
    ).

check_term(Term) :-
    \+ ground(Term), !,
    with_output_to(string(Text), write_kif(Term)),
    format(string(Message), "a fact or move is not ground: ~w", [Text]),
    throw(game_error(Message)).
check_term(Term) :-
    nesting_limit(Limit),
    (   nests(Term, Limit)
    ->  true
    ;   format(string(Message), "a fact or move nests deeper than ~w parentheses", [Limit]),
        throw(game_error(Message))
    ).

% As deep as `ggp.kif` reads what it is told.
nesting_limit(200).

nests(Term, _) :- atomic(Term), !.
nests(Term, Limit) :-
    Limit > 0,
    Below is Limit - 1,
    compound_name_arguments(Term, _, Arguments),
    forall(member(Argument, Arguments), nests(Argument, Below)).

write_kif(Term) :- var(Term), !, write('?').
write_kif(Term) :- atom(Term), !, write(Term).
write_kif(Term) :-
    compound_name_arguments(Term, Name, Arguments),
    ( Name == '. ' -> write('(.') ; format("(~w", [Name]) ),  % translate.py tells why
    forall(member(Argument, Arguments), (write(' '), write_kif(Argument))),
    write(')').

numbers(Terms, Numbers) :-
    maplist(term_number, Terms, Unsorted),
    sort(Unsorted, Numbers).

write_state(Facts) :-
    numbers(Facts, Numbers),
    atomic_list_concat(Numbers, ',', Text),
    write(Text).

%   Questions

initial :-
    load_state([]),
    findall(Fact, game:init(Fact), Facts),
    write_state(Facts).

state_of(Terms) :- write_state(Terms).

steps(Steps) :- forall(member(State-Moves, Steps), (write_step(State, Moves), nl)).

write_step(State, Moves) :-
    load_state(State),
    game:roles(Roles),
    load_moves(Roles, Moves),
    write_next.

%   How many legal moves a role has, and the numbers of some of them, drawn at random.

some_moves(State, Role, Limit, Seed) :-
    load_state(State),
    legal_moves(Role, Moves),
    length(Moves, Count),
    (   Count =< Limit
    ->  Some = Moves
    ;   set_random(seed(Seed)),
        random_permutation(Moves, Shuffled),
        length(Some, Limit),
        append(Some, _, Shuffled)
    ),
    numbers_text(Some, Text),
    format("~w\t~w", [Count, Text]).

views(States) :-
    forall(member(State, States),
           ( load_state(State), terminal(Terminal), legal(Legal), write_view(Terminal, Legal), nl )).

expansions(States, Limit) :- forall(member(State, States), (write_expansion(State, Limit), nl)).

%   One line a playout: how many steps it took, and the goals at its end.

playouts(State, Count, Seed, MaxSteps) :-
    set_random(seed(Seed)),
    forall(between(1, Count, _),
           ( load_state(State), play(0, MaxSteps, Steps, Goals), format("~w\t~w~n", [Steps, Goals]) )).

play(Step, MaxSteps, Steps, Goals) :-
    (   ( Step >= MaxSteps ; game:terminal )
    ->  Steps = Step,
        goal_text(Goals)
    ;   game:roles(Roles),
        maplist(random_move, Roles, Moves),
        load_moves(Roles, Moves),
        findall(Fact, game:next(Fact), Found),
        sort(Found, Facts),
        load_facts(Facts),
        Next is Step + 1,
        play(Next, MaxSteps, Steps, Goals)
    ).

random_move(Role, Move) :-
    legal_moves(Role, Moves),
    (   random_member(Move, Moves)
    ->  true
    ;   throw(no_legal_move)
    ).

%   One line a state, its fields separated by tabs: 0 or 1 for terminal, the goals, the legal moves
%   role by role, and for an expansion the successors.

terminal(Terminal) :- ( game:terminal -> Terminal = 1 ; Terminal = 0 ).

legal(Legal) :-
    game:roles(Roles),
    maplist(legal_moves, Roles, Legal).

write_view(Terminal, Legal) :-
    goal_text(GoalText),
    maplist(numbers_text, Legal, Texts),
    atomic_list_concat(Texts, '/', LegalText),
    format("~w\t~w\t~w", [Terminal, GoalText, LegalText]).

goal_text(Text) :-
    game:roles(Roles),
    maplist(goal_value, Roles, Goals),
    atomic_list_concat(Goals, ' ', Text).

goal_value(Role, Value) :-
    findall(V, game:goal(Role, V), Values),
    ( sort(Values, [Only]), atom(Only) -> Value = Only ; Value = (-) ).

legal_moves(Role, Moves) :-
    findall(M, game:legal(Role, M), Found),
    sort(Found, Moves).

numbers_text(Terms, Text) :-
    maplist(term_number, Terms, Numbers),
    atomic_list_concat(Numbers, ' ', Text).

%   Too many are refused before they get numbers, which takes longer than to find them.

write_expansion(State, Limit) :-
    load_state(State),
    terminal(Terminal),
    legal(Legal),
    foldl([Moves, In, Out]>>(length(Moves, N), Out is In * N), Legal, 1, Count),
    ( Terminal == 0, Count > Limit -> throw(too_many(Count)) ; true ),
    write_view(Terminal, Legal),
    write('\t'),
    (   Terminal == 1
    ->  true
    ;   game:roles(Roles),
        forall(joint_move(Legal, Moves),
               ( load_moves(Roles, Moves), write_next, write(' ') ))
    ).

joint_move([], []).
joint_move([Moves|Rest], [Move|Others]) :-
    member(Move, Moves),
    joint_move(Rest, Others).

write_next :-
    findall(Fact, game:next(Fact), Facts),
    write_state(Facts).

%   The state and the joint move at hand are facts of the database; tables rest on them.

load_state(Numbers) :-
    maplist(term, Numbers, Facts),
    load_facts(Facts).

load_facts(Facts) :-
    retractall(state:'g:true'(_)),
    load_moves([], []),
    ( game:tabled(state) -> abolish_module_tables(state) ; true ),
    forall(member(Fact, Facts), assertz(state:'g:true'(Fact))).

load_moves(Roles, Moves) :-
    retractall(move:'g:does'(_, _)),
    ( game:tabled(move) -> abolish_module_tables(move) ; true ),
    maplist([Role, Move]>>assertz(move:'g:does'(Role, Move)), Roles, Moves).
