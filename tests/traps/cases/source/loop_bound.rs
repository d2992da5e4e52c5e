#![no_std]
#![crate_type = "lib"]

// A loop whose body indexes with the loop's own counter, and stores in between so that nothing is hoisted.
#[unsafe(no_mangle)]
pub fn running(a: &[u32], n: usize, out: &mut [u32]) {
    let mut sum = 0;
    for i in 0..n {
        sum += a[i];
        out[i] = sum;
    }
}
