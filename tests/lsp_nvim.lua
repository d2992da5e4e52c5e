-- Run by lsp_nvim.py in Neovim, with a file open that has one error, an undeclared register. Prints what Neovim was told.
local function wait_for(what, holds)
  if not vim.wait(60000, holds, 20) then
    print('not seen: ' .. what)
    vim.cmd('cquit')
  end
end

wait_for('diagnostics', function() return #vim.diagnostic.get(0) > 0 end)
for _, one in ipairs(vim.diagnostic.get(0)) do
  print(('diagnostic %d:%d-%d %s %s'):format(one.lnum + 1, one.col, one.end_col, one.source, one.message))
end

local function ask(method, pattern)
  vim.fn.search(pattern)
  local answers = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(0, 'utf-16'), 60000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
end

print('hover ' .. vim.inspect(ask('textDocument/hover', 'add\\.s64').contents.value))
print('definition line ' .. ask('textDocument/definition', 'BB0_2;').range.start.line + 1)

-- Typed text reaches the server: the name is mended.
vim.cmd('%s/%nowhere/%rd1/')
local error = { severity = vim.diagnostic.severity.ERROR }
wait_for('no errors', function() return #vim.diagnostic.get(0, error) == 0 end)
print('mended')
vim.cmd('qall!')
