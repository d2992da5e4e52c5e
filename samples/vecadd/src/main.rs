// c[i] = a[i] + b[i], one thread per element.
//
// a[i] and b[i] are indexed: each carries a bounds check that panics, which on the GPU is a `trap`.
// c is asked with get_mut: a thread beyond its end does nothing and returns.
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

#[unsafe(no_mangle)]
pub fn vecadd(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = global_index();
    if let Some(sum) = c.get_mut(i) {
        *sum = a[i] + b[i];
    }
}
