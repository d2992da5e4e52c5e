// The check in the loop's body is made once, before the loop.
#![no_std]
#![crate_type = "lib"]

unsafe extern "C" {
    safe fn tid_x() -> u32;
}

#[unsafe(no_mangle)]
pub fn prefix(a: &[u32], n: usize, out: &mut [u32; 1024]) {
    let mut sum = 0u32;
    for x in &a[..n] {
        sum = sum.wrapping_add(*x);
    }
    out[tid_x() as usize & 1023] = sum;
}
