# status: 1
import curses

curses.setupterm()
