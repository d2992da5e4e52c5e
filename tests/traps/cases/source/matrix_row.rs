#![no_std]
#![crate_type = "lib"]

unsafe extern "C" {
    safe fn ntid_x() -> u32;
    safe fn ctaid_x() -> u32;
    safe fn tid_x() -> u32;
}

// Row and column from a two-dimensional launch, checked as one flat index.
unsafe extern "C" {
    safe fn ntid_y() -> u32;
    safe fn ctaid_y() -> u32;
    safe fn tid_y() -> u32;
}

#[unsafe(no_mangle)]
pub fn transpose(input: &[f32], width: u32, height: u32, out: &mut [f32]) {
    let x = ctaid_x() * ntid_x() + tid_x();
    let y = ctaid_y() * ntid_y() + tid_y();
    if x < width && y < height {
        out[(x * height + y) as usize] = input[(y * width + x) as usize];
    }
}
