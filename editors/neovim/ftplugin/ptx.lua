-- The language server of ptxscope for every PTX file. vim.g.ptxscope names the program if it is not in PATH.
local config = {
  name = 'ptxscope',
  cmd = { vim.g.ptxscope or 'ptxscope', 'lsp' },
  root_dir = vim.fn.getcwd(),
}

if vim.lsp.start then
  vim.lsp.start(config)
else -- Neovim 0.7: one server for all files, by its older calls
  _G.ptxscope_client = _G.ptxscope_client or vim.lsp.start_client(config)
  if _G.ptxscope_client then
    vim.lsp.buf_attach_client(0, _G.ptxscope_client)
  end
end

vim.bo.commentstring = '// %s'
