/*
 * mcp_files - list_files, read_file and write_file: the files in a session's /workspace.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_FILES_H
#define GLOVEBOX_MCP_MCP_FILES_H

#include "mcp/mcp_call.h"

/* Functions of struct mcp_tool. */
int mcp_files_list(struct mcp_call *c, struct err *e);
void mcp_files_reply_list(struct mcp_call *c);
int mcp_files_get(struct mcp_call *c, struct err *e);
void mcp_files_reply_get(struct mcp_call *c);
int mcp_files_put(struct mcp_call *c, struct err *e);
void mcp_files_reply_put(struct mcp_call *c);

/* Also for resources: request a file's content, below /workspace, and put a part of it. */
int mcp_files_ask_content(struct mcp_call *c, const char *path, struct err *e);
bool mcp_files_read_content(const struct mcp_call *c, uint64_t offset, uint64_t length,
			    struct buf *out);

#endif
