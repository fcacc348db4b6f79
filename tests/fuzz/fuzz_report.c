/*
 * fuzz_report - a program's output never forges a heading, a fence or a turn, and is bounded.
 */
#include "fuzz.h"

#include <ctype.h>

#include "agent/tell/report.h"
#include "base/terminal_text.h"
#include "base/utf8.h"

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *p = text; (p = strcasestr(p, word)); p++)
		n++;
	return n;
}

static void check(const struct buf *text, size_t fences, size_t most)
{
	const char *p = buf_string(text);

	MUST(strlen(p) == text->length);
	MUST(utf8_is_valid(p, text->length));
	MUST(count(p, "[EXECUTION RESULT]") == 1);
	MUST(count(p, "```") == fences);
	MUST(!count(p, "<|") && !count(p, "</s>") && !count(p, "[TIMEOUT]") && !count(p, "[INST]"));
	MUST(!count(p, "<FINAL_ANSWER>") && !count(p, "<think>") && !count(p, "<tool_call>"));
	for (size_t i = 0; i < text->length; i++)
		MUST((unsigned char)p[i] >= 0x20 || p[i] == '\n' || p[i] == '\t');
	MUST(text->length <= most);
}

static size_t is_shown(const struct buf *output)
{
	auto_buf struct buf text = {0};

	terminal_text(output->data, output->length, &text);
	return strspn(buf_string(&text), " \t\n") != text.length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_options options = {.output_bytes = 700};
	struct execution x = {.verdict = CODE_ERROR, .exit_code = 1};
	auto_buf struct buf text = {0};
	char *string = fuzz_string(data, size);
	struct execution_file file = {string, size};

	buf_add(&x.output[0], data, size);
	buf_add(&x.output[1], data + size / 2, size - size / 2);
	x.traceback = size % 2 ? string : NULL;
	x.value = size % 3 ? string : NULL;
	x.files = &file;
	x.file_count = size % 5 == 0 && size < 1000;
	report_write(&x, &options, &text);
	check(&text,
	      2 * is_shown(&x.output[0]) + 2 * (is_shown(&x.output[1]) || x.traceback) +
		      2 * (x.value != NULL),
	      3 * (700 + REPORT_TRACEBACK_BYTES * 2) + REPORT_TRACEBACK_BYTES + 12000);
	buf_fini(&x.output[0]);
	buf_fini(&x.output[1]);
	free(string);
	return 0;
}
