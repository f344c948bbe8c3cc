// What happens in a match, in words.

/** Return a list in words: a, b and c. */
export const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`);

/** Return a text that begins with a capital. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Return the numbers of the roles that are played: all but that of chance, which wants nothing. */
export const playing = (roles) => roles.map((_, at) => at).filter((at) => roles[at].toLowerCase() !== "random");

/** Return how a match ended: "red wins 100 : 0". */
export function result(roles, goals) {
  const ends = playing(roles).map((at) => ({ role: roles[at], goal: goals[at] }));
  const best = Math.max(...ends.map(({ goal }) => goal));
  const winners = ends.filter(({ goal }) => goal === best).map(({ role }) => role);
  if (ends.length === 1) return `${ends[0].role} gets ${ends[0].goal} of 100`;
  const score = ends.length === 2 ? ends.map(({ goal }) => goal).join(" : ") : ends.map(({ role, goal }) => `${role} ${goal}`).join(", ");
  if (winners.length === 1) return `${winners[0]} wins ${score}`;
  return winners.length === ends.length ? `A draw, ${score}` : `${listed(winners)} share the first place, ${score}`;
}

const REASONS = { TO: "ran out of time", CE: "gave no answer", IL: "answered with no term of the game" };

/** Return what an error of a player was, and what was played instead. */
export function fault(who, error, label = "") {
  const [code, detail] = error.split(" ");
  if (code === "EX") return `${who} made an error in its own code: ${error.slice(3)}`;
  const reason = code === "IL" && detail ? `wanted the illegal ${error.slice(3)}` : REASONS[code] ?? error;
  return `${who} ${reason}; a random move was made instead${label ? `: ${label}` : ""}`;
}

/** Return seconds as a clock shows them: 0:07, or 7.4 below ten where they run out. */
export function clock(seconds, isRunningOut = false) {
  if (isRunningOut && seconds < 10) return seconds.toFixed(1);
  const whole = Math.floor(seconds), hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60, rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
