// Answers a text with a model: go run predict.go FOLDER TEXT
package main

// #cgo LDFLAGS: -lheed
// #include <heed.h>
// #include <stdlib.h>
import "C"

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// check ends the program after a failed call. Messages belong to the thread of
// the call.
func check(code C.int32_t) {
	if code != C.HEED_OK {
		fmt.Fprintf(os.Stderr, "error %d: %s\n", code, C.GoString(C.heed_error_message()))
		os.Exit(1)
	}
}

func main() {
	runtime.LockOSThread()
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: predict FOLDER TEXT")
		os.Exit(2)
	}
	folder := C.CString(os.Args[1])
	path := C.CString("predict")
	body, _ := json.Marshal(map[string]string{"text": os.Args[2]})
	request := C.CString(string(body))
	defer C.free(unsafe.Pointer(folder))
	defer C.free(unsafe.Pointer(path))
	defer C.free(unsafe.Pointer(request))

	var model *C.heed_model
	check(C.heed_model_open(folder, nil, 0, &model))
	defer C.heed_model_free(model)
	var answer *C.heed_answer
	check(C.heed_model_run(model, path, request, C.size_t(len(body)), nil, &answer))
	defer C.heed_answer_free(answer)
	var text *C.char
	var size C.size_t
	check(C.heed_answer_text(answer, &text, &size))
	fmt.Println(C.GoStringN(text, C.int(size)))
}
