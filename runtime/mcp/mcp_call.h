/*
 * mcp_call - one call of a tool: from its arguments, through its turn in its session, to its
 * result.
 *
 * A call waits until the calls before it in the same session are over. Without a session it begins
 * one; if the session was lost before the call used it, the call begins another, once, and the
 * result reports it. The tool's work is one operation (service/notebook.h); some tools scan the
 * files afterwards.
 *
 * Bad arguments and failures are results with isError, for the model.
 *
 * Runs: mcp. Needs: nothing beyond what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_MCP_MCP_CALL_H
#define GLOVEBOX_MCP_MCP_CALL_H

#include <sys/queue.h>

#include "base/terminal_text.h"
#include "mcp/mcp_rpc.h"
#include "mcp/mcp_session.h"

struct mcp_tool;

enum mcp_step {
	MCP_WAITS,  /* for its turn */
	MCP_ADMITS, /* for the policy to admit it */
	MCP_COUNTS, /* the files before the call */
	MCP_BEGINS,
	MCP_RECOVERS, /* for another supervisor */
	MCP_WORKS,
	MCP_SCANS, /* for the scan of the files */
};

struct mcp_call {
	struct mcp_request *request;
	const struct mcp_tool *tool;
	const struct json *arguments; /* an object; NULL: none */
	struct mcp_connection *connection;
	struct mcp_session *session;
	TAILQ_ENTRY(mcp_call) link; /* of session->calls */
	enum mcp_step step;
	struct notebook *notebook;     /* the operation of the current step */
	struct notebook_result begun;  /* of MCP_BEGINS, MCP_COUNTS and MCP_SCANS */
	struct notebook_request work;  /* what the tool wants done */
	struct notebook_result result; /* the outcome of `work` */
	bool is_retried;               /* once, since the session had gone */
	struct mcp_recovery recovery;  /* of MCP_RECOVERS */
	bool is_recovered;             /* once, since the supervisor had gone */
	bool is_new;                   /* this call has begun the session */
	char *was_lost;                /* owned; why the earlier session ended; NULL */
	uint64_t begun_us;
	uint64_t told_us; /* time of the last progress notification; first the start of the call */
	struct hub_timer tick;
	void *permit;                  /* the policy's data (mcp/mcp_policy.h) */
	struct terminal_text shown[2]; /* filter the output of the program into `out` */
	struct buf out[2];
	struct display_places places; /* where displays stand in stdout */
	char *handle; /* owned; the session's handle, for tools without that argument */
	char *path;   /* owned; of a file, below /workspace */
	int content;  /* owned; a file's content; -1 */
	uint64_t offset;
	uint64_t length;
};

/* A tool, as the driver of calls sees it. */
struct mcp_tool {
	const char *name;
	const char *const *arguments; /* names of its arguments; ends with NULL */
	/* Fill in `work`. Errors: ERR_INPUT, for the model. */
	int (*read)(struct mcp_call *c, struct err *e);
	/* Put the result of `work`, which succeeded, or whose failure the tool reports itself. */
	void (*reply)(struct mcp_call *c);
	bool scans;         /* scan the files afterwards */
	bool is_ending;     /* a missing session is not an error */
	bool needs_session; /* do not begin a session: without one `reply` is called at once */
	/* Report a failure of the call; NULL: as a result for the model. */
	void (*refuse)(struct mcp_request *r, const char *text);
};

/* mcp_call_start - run a tool; the request is answered when the call is over. */
void mcp_call_start(struct mcp_request *r, const struct mcp_tool *tool,
		    struct mcp_connection *connection);

/* mcp_call_go - the policy admits the call. */
void mcp_call_go(struct mcp_call *c);

/* Abandon the operation of a call as it is; the client gets no answer. */
void mcp_call_abandon(struct mcp_request *r);

/*
 * mcp_call_fail - answer with an error in words, free the call, and start the next one of its
 * session.
 */
void mcp_call_fail(struct mcp_call *c, const struct err *e);

/*
 * mcp_call_finish - answer with a result, free the call, and start the next one of its session.
 * @result  the members behind "content" (structuredContent, isError), with the content before
 *          them.
 */
void mcp_call_finish(struct mcp_call *c, const struct buf *result);

#endif
