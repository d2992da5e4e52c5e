#!/usr/bin/env python3
"""Neovim with editors/neovim and the language server: what it shows of a file. Skipped (77) where there is no Neovim.

    lsp_nvim.py PTXSCOPE
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MODULE = """.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  /* \U0001f600 */ add.s64 %rd2, %rd1, %nowhere;
  setp.eq.u64 %p1, %rd2, 0;
  @%p1 bra BB0_2;
BB0_2:
  ret;
}
"""


def main():
    nvim = shutil.which("nvim")
    if nvim is None:
        print("skipped: there is no Neovim (package neovim)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder, "kernel.ptx")
        module.write_text(MODULE)
        environment = {**os.environ, "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder,
                       "XDG_CONFIG_HOME": folder, "HOME": folder}
        done = subprocess.run([nvim, "--headless", "-u", "NONE", "-i", "NONE", "--cmd", f"let g:ptxscope='{sys.argv[1]}'",
                               "--cmd", f"set runtimepath^={SOURCE}/editors/neovim | filetype plugin on", str(module),
                               "-c", f"luafile {SOURCE}/tests/lsp_nvim.lua"],
                              env=environment, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    said = done.stdout + done.stderr
    wanted = ["diagnostic 9:33-41 ptxscope", "register '%nowhere' is not declared", "%rd1 = ", "definition line 12", "mended"]
    missing = [one for one in wanted if one not in said]
    if missing or done.returncode != 0:
        print(f"Neovim ended with {done.returncode} and did not say {missing}; it said:\n{said}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
