/*
 * glovebox-agent - a local model with hands: it writes Python, the sandbox runs it.
 */
#include <stdio.h>

int main(void)
{
	fputs("glovebox agent: not built yet\n", stderr);
	return 125;
}
