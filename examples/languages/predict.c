/* Answers a text with a model: cc predict.c -lheed && ./a.out FOLDER TEXT */
#include <heed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program after a failed call. */
static void check(int32_t code) {
  if (code == HEED_OK) return;
  fprintf(stderr, "error %d: %s\n", (int)code, heed_error_message());
  exit(1);
}

/* A JSON string of a text; the caller frees it. */
static char* quoted(const char* text) {
  char* json = malloc(6 * strlen(text) + 3);
  char* to = json;
  if (json == NULL) exit(1);
  *to++ = '"';
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20) {
      to += sprintf(to, "\\u%04x", (unsigned)(unsigned char)*text);
    } else {
      *to++ = *text;
    }
  }
  *to++ = '"';
  *to = '\0';
  return json;
}

int main(int argc, char** argv) {
  heed_model* model;
  heed_answer* answer;
  const char* text;
  char* json;
  char* request;
  if (argc != 3) {
    fprintf(stderr, "usage: %s FOLDER TEXT\n", argv[0]);
    return 2;
  }
  json = quoted(argv[2]);
  request = malloc(strlen(json) + 16);
  if (request == NULL) return 1;
  sprintf(request, "{\"text\": %s}", json);
  check(heed_model_open(argv[1], NULL, 0, &model));
  check(heed_model_run(model, "predict", request, strlen(request), NULL,
                       &answer));
  check(heed_answer_text(answer, &text, NULL));
  puts(text);
  heed_answer_free(answer);
  heed_model_free(model);
  free(request);
  free(json);
  return 0;
}
