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

// Four elements per thread: one check per copy of the loop's body.
#[unsafe(no_mangle)]
pub fn unrolled_sum(a: &[f32], out: &mut [f32]) {
    let i = global_index();
    if i < out.len() {
        let mut sum = 0.0;
        for k in 0..4 {
            sum += a[i * 4 + k];
        }
        out[i] = sum;
    }
}
