/*
 * mcp_call - one call of a tool: from its arguments, through its turn in its session, to its
 * result.
 *
 * A call waits until those before it in the same session are over. If there is no session it begins
 * one; if the session turns out to be lost before anything was done with it, it begins another,
 * once, and the result says so. What the tool does there is one operation (service/notebook.h);
 * some look at the files afterwards.
 *
 * What is wrong with the arguments, and what fails, is a result with isError, which the model
 * reads.
 *
 * Runs: mcp. Needs: nothing beyond what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_MCP_MCP_CALL_H
#define GLOVEBOX_MCP_MCP_CALL_H

#include "base/terminal_text.h"
#include "mcp/mcp_rpc.h"
#include "mcp/mcp_session.h"

struct mcp_tool;

enum mcp_step {
	MCP_WAITS,  /* for its turn */
	MCP_ADMITS, /* until its house lets it in */
	MCP_COUNTS, /* the files that are there before */
	MCP_BEGINS,
	MCP_RECOVERS, /* until there is another supervisor */
	MCP_WORKS,
	MCP_LOOKS, /* at the files */
};

struct mcp_call {
	struct mcp_request *request;
	const struct mcp_tool *tool;
	const struct json *arguments; /* an object; NULL: none */
	struct mcp_desk *desk;
	struct mcp_session *session;
	struct mcp_call *next; /* in its session */
	enum mcp_step step;
	struct notebook *notebook;     /* under way, or over, until the next step */
	struct notebook_result begun;  /* of MCP_BEGINS, MCP_COUNTS and MCP_LOOKS */
	struct notebook_request work;  /* what the tool wants done */
	struct notebook_result result; /* ... and what came of it */
	bool is_retried;               /* the session was not there */
	struct mcp_recovery recovery;  /* of MCP_RECOVERS */
	bool is_recovered;             /* nor was the supervisor */
	bool is_new;                   /* it has begun the session */
	char *was_lost;                /* why the one before was gone; NULL */
	uint64_t begun_us;
	uint64_t told_us; /* the last progress; before that its beginning */
	struct hub_timer tick;
	void *keeping; /* its house's (mcp/mcp_house.h) */
	/* the tool's */
	struct terminal_text shown[2]; /* filters what the program prints, into `out` */
	struct buf out[2];
	struct display_places places; /* of displays in the first */
	char *handle;                 /* of its session, where no argument says it */
	char *path;                   /* of a file, below /workspace */
	int content;                  /* owned; of a file; -1 */
	uint64_t offset;
	uint64_t length;
};

/* A tool, for the driver. */
struct mcp_tool {
	const char *name;
	const char *const *arguments; /* that it has; ends with NULL */
	/* Fill in `work`. Errors: ERR_INPUT, for the model. */
	int (*read)(struct mcp_call *c, struct err *e);
	/* The result of what was done: it did not fail, or it is the tool's to say how. */
	void (*reply)(struct mcp_call *c);
	bool looks;         /* at the files, afterwards */
	bool is_ending;     /* the session need not be there */
	bool needs_session; /* none begins for it: then nothing is done before `reply` */
	/* Say that it failed; NULL: as a result for the model. */
	void (*refuse)(struct mcp_request *r, const char *text);
};

/* mcp_call_start - the request is answered when it is over. */
void mcp_call_start(struct mcp_request *r, const struct mcp_tool *tool, struct mcp_desk *desk);

/* mcp_call_go - its house lets it in. */
void mcp_call_go(struct mcp_call *c);

/* Give up what is under way, as it is; nothing is answered. */
void mcp_call_abandon(struct mcp_request *r);

/*
 * mcp_call_fail - the result is an error, in words.
 * The call is gone then, and the next one of the session has its turn.
 */
void mcp_call_fail(struct mcp_call *c, const struct err *e);

/*
 * mcp_call_finish - the result: its members behind "content" (structuredContent, isError), with
 * the content before them. As above.
 */
void mcp_call_finish(struct mcp_call *c, const struct buf *result);

#endif
