/*
 * page - the web page at /, the API's documentation at /docs, its OpenAPI document, and the files
 * of both (runtime/serve/page/), which are compiled in.
 *
 * The page is a client like any other: loading it needs no key, all its requests do. It loads
 * nothing from other sites, and Content-Security-Policy keeps the browser from other requests and
 * from foreign scripts.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_PAGE_H
#define GLOVEBOX_SERVE_PAGE_H

#include "web/http.h"

/* Routes: pages of one file each, and all other files. */
void page_run(struct request *r);
void page_run_file(struct request *r); /* 404 for an unknown name */

#endif
