#![no_std]
#![crate_type = "lib"]
// Helpers within helpers, all inlined: the check's own line is in the innermost.
unsafe extern "C" {
    safe fn tid_x() -> u32;
}

#[inline(always)]
fn at(a: &[u32], i: usize) -> u32 {
    a[i]
}

#[inline(always)]
fn pair(a: &[u32], i: usize) -> u32 {
    at(a, i) + at(a, i + 1)
}

#[unsafe(no_mangle)]
pub fn pairs(a: &[u32], out: &mut [u32]) {
    let i = tid_x() as usize;
    if i < out.len() {
        out[i] = pair(a, i);
    }
}
