// What is typed into a terminal; apart from the extension, so that it can be tested without VS Code.
"use strict";

/** Return a word as a POSIX shell reads it back. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Return the command line of a subcommand of ggp; only the manager takes no file. */
function terminalCommand(path, subcommand, file) {
  const words = subcommand === "manager" || !file ? [subcommand] : [subcommand, file];
  return [path, ...words].map(quoted).join(" ");
}

module.exports = { quoted, terminalCommand };
