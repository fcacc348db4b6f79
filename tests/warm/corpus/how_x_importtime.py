# how: $ python3 -X importtime -c "import colorsys"
# warm: auto
# mask: [ 0-9]+ \|[ 0-9]+
# Times differ.
