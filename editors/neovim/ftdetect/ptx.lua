vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  pattern = '*.ptx',
  callback = function() vim.bo.filetype = 'ptx' end,
})
