# Names that an engine might use for itself belong to the script.
# files: glovebox.py=X = "mine"\n
# files: guest.py=X = "mine"\n
# files: worker.py=X = "mine"\n
# files: nursery.py=X = "mine"\n
# files: bootstrap.py=X = "mine"\n
import bootstrap
import glovebox
import guest
import nursery
import worker

print([m.X for m in (bootstrap, glovebox, guest, nursery, worker)])
