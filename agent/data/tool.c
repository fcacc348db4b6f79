/*
 * tool - the description of the one tool, for a model.
 */
#include "agent/data/tool.h"

#include "agent/data/model.h"

void tool_describe(struct buf *out)
{
	buf_text(out,
		 "[{\"type\":\"function\",\"function\":{\"name\":\"" TOOL_NAME
		 "\","
		 "\"description\":\"Run Python code in a sandbox without network and get what "
		 "it printed, the value of its last expression, its traceback and the files "
		 "it wrote. /data is read-only, /output is where files go.\","
		 "\"parameters\":{\"type\":\"object\",\"properties\":{"
		 "\"code\":{\"type\":\"string\",\"description\":\"The Python source, complete. "
		 "Print what you want to see.\"},"
		 "\"description\":{\"type\":\"string\",\"description\":\"What the code does, in "
		 "a few words.\"}},"
		 "\"required\":[\"code\"]}}}]");
}
