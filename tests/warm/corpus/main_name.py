print(__name__, __file__, __package__, __doc__)
