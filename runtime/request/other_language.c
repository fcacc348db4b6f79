/*
 * other_language - code in another language than Python.
 */
#include "request/other_language.h"

#include "base/list.h"

/* The code goes into a file: it may be longer than execve(2) takes. */
#define FILE_OF_CODE                                                                               \
	"__main__.py" /* no output, and beside the files: names lead from it to them               \
		       */
#define EXECUTE                                                                                    \
	"import os, sys\n"                                                                         \
	"words = sys.argv[1:]\n"                                                                   \
	"with open(words[1], 'wb') as file:\n"                                                     \
	"    file.write(sys.stdin.buffer.read())\n"                                                \
	"os.dup2(os.open(os.devnull, os.O_RDONLY), 0)\n"                                           \
	"try:\n"                                                                                   \
	"    os.execvp(words[0], words)\n"                                                         \
	"except FileNotFoundError:\n"                                                              \
	"    sys.exit('this image has no ' + words[0])\n"

void other_language_plan(struct script_request *r, const char *interpreter, const char *code,
			 struct list *args)
{
	list_add(args, interpreter);
	list_add(args, FILE_OF_CODE);
	r->source = EXECUTE;
	r->input = code;
	r->args = args;
}
