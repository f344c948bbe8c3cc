// Starts `ggp lsp`, which does everything that needs to understand a rulesheet.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");
const { terminalCommand } = require("./commands");

let client;

function path() {
  return vscode.workspace.getConfiguration("ggp").get("path") || "ggp";
}

async function start() {
  const run = { command: path(), args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient(
    "ggp",
    "GDL",
    { run, debug: run },
    { documentSelector: [{ language: "gdl" }] },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const choice = await vscode.window.showErrorMessage(
      `GDL: \`${path()} lsp\` cannot be started (${error.message}). ` +
        "Install it with: pip install 'ggp[lsp]'",
      "Set its path",
    );
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "ggp.path");
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop();
  }
}

async function restart() {
  await stop();
  await start();
}

async function inTerminal(subcommand) {
  const editor = vscode.window.activeTextEditor;
  const file = editor && editor.document.languageId === "gdl" ? editor.document : undefined;
  if (file) {
    await file.save();
  }
  const name = "GDL";
  const found = vscode.window.terminals.find((terminal) => terminal.name === name);
  const terminal = found || vscode.window.createTerminal(name);
  terminal.show(true);
  terminal.sendText(terminalCommand(path(), subcommand, file && file.uri.fsPath));
}

function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("ggp.restart", restart),
    vscode.commands.registerCommand("ggp.check", () => inTerminal("check")),
    vscode.commands.registerCommand("ggp.prove", () => inTerminal("prove")),
    vscode.commands.registerCommand("ggp.manager", () => inTerminal("manager")),
    vscode.commands.registerCommand("ggp.format", () =>
      vscode.commands.executeCommand("editor.action.formatDocument"),
    ),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("ggp.path")) {
        return restart();
      }
    }),
  );
  return start();
}

module.exports = { activate, deactivate: stop };
