// Starts `ptxscope lsp` for PTX files; all that is shown comes from there.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const command = workspace.getConfiguration('ptxscope').get('path');
  client = new LanguageClient(
    'ptxscope',
    'ptxscope',
    { command, args: ['lsp'] },
    { documentSelector: [{ language: 'ptx' }] },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
