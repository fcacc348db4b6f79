/*
 * about - GET /v1: a description of this server for programs.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_ABOUT_H
#define GLOVEBOX_SERVE_ABOUT_H

#include "web/http.h"

/* Reply with the server's version, its image, and the packages of the image's Python. */
void about_run(struct request *r);

#endif
