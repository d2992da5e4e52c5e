#![no_std]
#![crate_type = "lib"]

unsafe extern "C" {
    safe fn ntid_x() -> u32;
    safe fn ctaid_x() -> u32;
    safe fn tid_x() -> u32;
}

fn global_index() -> usize {
    ctaid_x() as usize * ntid_x() as usize + tid_x() as usize
}

// A check in a function that is not inlined, reached from two call sites with different lengths.
#[inline(never)]
fn pick(a: &[u32], i: usize) -> u32 {
    a[i]
}

#[unsafe(no_mangle)]
pub fn two_sites(a: &[u32], b: &[u32], shift: usize, out: &mut [u32]) {
    let i = global_index();
    if i < out.len() {
        out[i] = pick(a, i) + pick(b, i + shift);
    }
}
