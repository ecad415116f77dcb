"""Districts of maps, as GeoJSON."""


def ring(*corners):
    return [[float(x), float(y)] for x, y in (*corners, corners[0])]


def district(name, *rings, **properties):
    geometry = {"type": "Polygon", "coordinates": [*rings]}
    return {
        "type": "Feature",
        "properties": {"name": name, **properties},
        "geometry": geometry,
    }


def collection(*features):
    return {"type": "FeatureCollection", "features": [*features]}
