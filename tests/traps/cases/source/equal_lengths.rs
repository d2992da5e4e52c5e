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

// assert_eq! of two lengths, assert! with a message, unwrap of a checked conversion.
#[unsafe(no_mangle)]
pub fn same_length(a: &[u32], b: &[u32], out: &mut [u32]) {
    assert_eq!(a.len(), b.len());
    let i = global_index();
    if i < a.len() && i < out.len() {
        out[i] = a[i] + b[i];
    }
}

#[unsafe(no_mangle)]
pub fn signed_offset(a: &[u32], offset: i32, out: &mut [u32]) {
    assert!(!out.is_empty(), "nothing to write to");
    let start: usize = offset.try_into().unwrap();
    out[0] = if start < a.len() { a[start] } else { 0 };
}
