"use strict";

const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");
const { quoted, terminalCommand } = require("../client/commands");

const folder = join(__dirname, "..");
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const client = readFileSync(join(folder, "client", "extension.js"), "utf8");

test("words are quoted where a shell would change them", () => {
  assert.equal(quoted("/a/b-c.kif"), "/a/b-c.kif");
  assert.equal(quoted("it's; rm -rf"), "'it'\\''s; rm -rf'");
});

test("a command names the file, but for the manager", () => {
  assert.equal(terminalCommand("ggp", "check", "/my games/a.kif"), "ggp check '/my games/a.kif'");
  assert.equal(terminalCommand("ggp", "manager", "/a.kif"), "ggp manager");
});

test("every command of the manifest is registered", () => {
  for (const { command } of manifest.contributes.commands) {
    assert.ok(client.includes(`registerCommand("${command}"`), command);
  }
});

test("the files of the manifest exist and can be read", () => {
  const { languages, grammars } = manifest.contributes;
  for (const path of [languages[0].configuration, grammars[0].path]) {
    JSON.parse(readFileSync(join(folder, path), "utf8"));
  }
  readFileSync(join(folder, manifest.main));
});

test("a word is whatever stands between blanks and parentheses", () => {
  const { wordPattern } = JSON.parse(
    readFileSync(join(folder, "language-configuration.json"), "utf8"),
  );
  const words = "(<= (p+q ?x) ; c".match(new RegExp(wordPattern, "g"));
  assert.deepEqual(words, ["<=", "p+q", "?x", "c"]);
});
