/*
 * page - what is there for people: the page at /, the API's documentation at /docs, the OpenAPI
 * document that it shows, and the files of both (runtime/serve/page/), which are compiled in.
 *
 * The page is a client like any other: it needs no right here, and a key for everything that it
 * asks. Nothing of it comes from elsewhere, and a browser that knows Content-Security-Policy lets
 * it ask nobody else and run nothing that another wrote.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_PAGE_H
#define GLOVEBOX_SERVE_PAGE_H

#include "serve/http.h"

/* The routes: those that name one file, and that of all others. */
void page_run(struct request *r);
void page_run_file(struct request *r); /* 404 if there is none of that name */

#endif
