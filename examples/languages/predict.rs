// Answers a text with a model: rustc predict.rs -l heed && ./predict FOLDER TEXT
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::process::exit;
use std::ptr::{null, null_mut};

#[repr(C)]
struct Model {
    _private: [u8; 0],
}
#[repr(C)]
struct Answer {
    _private: [u8; 0],
}

extern "C" {
    fn heed_error_message() -> *const c_char;
    fn heed_model_open(
        folder: *const c_char,
        options: *const c_char,
        size: usize,
        model: *mut *mut Model,
    ) -> i32;
    fn heed_model_run(
        model: *const Model,
        path: *const c_char,
        request: *const c_char,
        size: usize,
        cancel: *mut u8,
        answer: *mut *mut Answer,
    ) -> i32;
    fn heed_answer_text(answer: *const Answer, text: *mut *const c_char, size: *mut usize) -> i32;
    fn heed_answer_free(answer: *mut Answer);
    fn heed_model_free(model: *mut Model);
}

/// Ends the program after a failed call.
fn check(code: i32) {
    if code != 0 {
        let message = unsafe { CStr::from_ptr(heed_error_message()) };
        eprintln!("error {}: {}", code, message.to_string_lossy());
        exit(1);
    }
}

/// A JSON string of a text.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        if c == '"' || c == '\\' || c < ' ' {
            json += &format!("\\u{:04x}", c as u32);
        } else {
            json.push(c);
        }
    }
    json + "\""
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 3 {
        eprintln!("usage: predict FOLDER TEXT");
        exit(2);
    }
    let folder = CString::new(arguments[1].as_str()).expect("a folder without zero bytes");
    let path = CString::new("predict").unwrap();
    let request = format!("{{\"text\": {}}}", quoted(&arguments[2]));
    unsafe {
        let mut model = null_mut();
        check(heed_model_open(folder.as_ptr(), null(), 0, &mut model));
        let mut answer = null_mut();
        let body = request.as_ptr() as *const c_char;
        check(heed_model_run(model, path.as_ptr(), body, request.len(), null_mut(), &mut answer));
        let mut text = null();
        check(heed_answer_text(answer, &mut text, null_mut()));
        println!("{}", CStr::from_ptr(text).to_string_lossy());
        heed_answer_free(answer);
        heed_model_free(model);
    }
}
