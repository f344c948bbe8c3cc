"""The requests of an editor about one document, and what answers each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from lsprotocol import types as lsp

from ggp.authoring.lsp.background.study import Study
from ggp.authoring.lsp.features import navigation, outline, problems, tokens
from ggp.authoring.lsp.features.hover import hover

__all__ = ["REQUESTS", "Answer", "Request"]

#: Takes the knowledge about the document, and the parameters of the request.
Answer: TypeAlias = Callable[[Study, Any], Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A kind of request."""

    #: What the server tells the editor about it.
    options: Any
    answer: Answer


#: Each kind of request, by its method.
REQUESTS: dict[str, Request] = {}


def _answers(method: str, options: Any = None) -> Callable[[Answer], Answer]:
    def add(answer: Answer) -> Answer:
        REQUESTS[method] = Request(options, answer)
        return answer

    return add


@_answers(lsp.TEXT_DOCUMENT_HOVER)
def _hover(study: Study, params: lsp.HoverParams) -> lsp.Hover | None:
    return hover(study.document, study.knowledge, params.position)


@_answers(lsp.TEXT_DOCUMENT_DEFINITION)
def _definition(study: Study, params: lsp.DefinitionParams) -> list[lsp.Location]:
    return navigation.definitions(study.document, params.position)


@_answers(lsp.TEXT_DOCUMENT_REFERENCES)
def _references(study: Study, params: lsp.ReferenceParams) -> list[lsp.Location]:
    declared = params.context.include_declaration
    return navigation.references(study.document, params.position, declared=declared)


@_answers(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
def _highlight(study: Study, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
    return navigation.highlights(study.document, params.position)


@_answers(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
def _prepare_rename(study: Study, params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder:
    return navigation.prepare(study.document, params.position)


@_answers(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
def _rename(study: Study, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    edits = navigation.rename(study.document, params.position, params.new_name)
    return lsp.WorkspaceEdit(changes={study.document.uri: edits})


@_answers(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
def _folding_range(study: Study, _params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    return outline.folding_ranges(study.document)


@_answers(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def _document_symbol(study: Study, _params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    return outline.outline(study.document)


@_answers(lsp.TEXT_DOCUMENT_SELECTION_RANGE)
def _selection_range(study: Study, params: lsp.SelectionRangeParams) -> list[lsp.SelectionRange]:
    return [outline.selection_range(study.document, at) for at in params.positions]


@_answers(
    lsp.TEXT_DOCUMENT_CODE_ACTION,
    lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]),
)
def _code_action(study: Study, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    only = params.context.only
    return problems.code_actions(study.document, study.knowledge, params.range, only)


@_answers(
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
    lsp.SemanticTokensRegistrationOptions(
        tokens.LEGEND, full=lsp.SemanticTokensFullDelta(delta=True), range=True
    ),
)
def _semantic_tokens(study: Study, _params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    data = tokens.semantic_tokens(study.document)
    return lsp.SemanticTokens(data=data, result_id=_keep(study, data))


@_answers(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA)
def _semantic_tokens_delta(
    study: Study, params: lsp.SemanticTokensDeltaParams
) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
    old, data = study.tokens, tokens.semantic_tokens(study.document)
    number = _keep(study, data)
    if old is None or str(old[0]) != params.previous_result_id:
        return lsp.SemanticTokens(data=data, result_id=number)
    return lsp.SemanticTokensDelta(edits=tokens.difference(old[1], data), result_id=number)


@_answers(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE)
def _semantic_tokens_range(
    study: Study, params: lsp.SemanticTokensRangeParams
) -> lsp.SemanticTokens:
    return lsp.SemanticTokens(data=tokens.semantic_tokens(study.document, params.range))


def _keep(study: Study, data: list[int]) -> str:
    """Keep what the editor is told, for it to ask for the difference later; return its number."""
    number = study.tokens[0] + 1 if study.tokens else 1
    study.tokens = (number, data)
    return str(number)
