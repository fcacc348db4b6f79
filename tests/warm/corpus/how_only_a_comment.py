# Nothing but this.
