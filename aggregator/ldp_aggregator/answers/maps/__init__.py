"""Places: maps of a question of type place, rectangles on them, at any zoom.

room              how places are estimated
map_estimates     the result: the cells of a zoom, and what is asked of the map behind
                  them
region_estimates  the same of values that are the names of districts

maps         a map: the cells of a zoom with their errors, as arrays, GeoJSON and a
             picture
geojson      districts of a GeoJSON file
districts    the shares of districts, and what cells that borders cut leave open
regions      a map of values that are the names of districts
cuts         cells that hold about as many people each
places       all that is asked of a question of type place
table_cells  rectangles of a map whose cells were told one by one

Imports: `distributions`, `lines`, `results`, `shares`.
"""
