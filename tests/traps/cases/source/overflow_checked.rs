#![no_std]
#![crate_type = "lib"]

// Arithmetic with overflow checks on.
#[unsafe(no_mangle)]
pub fn checked_add(x: u32, y: u32, out: &mut u32) {
    *out = x + y;
}

#[unsafe(no_mangle)]
pub fn checked_mul(x: u32, y: u32, out: &mut u32) {
    *out = x * y;
}

#[unsafe(no_mangle)]
pub fn checked_sub(x: usize, y: usize, out: &mut usize) {
    *out = x - y;
}

#[unsafe(no_mangle)]
pub fn checked_add_signed(x: i32, y: i32, out: &mut i32) {
    *out = x + y;
}

#[unsafe(no_mangle)]
pub fn checked_shift(x: u32, by: u32, out: &mut u32) {
    *out = x << by;
}

#[unsafe(no_mangle)]
pub fn checked_neg(x: i32, out: &mut i32) {
    *out = -x;
}
