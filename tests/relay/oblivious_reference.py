"""The complete example of RFC 9458, appendix A: every value that it shows."""

RFC = {
    name: bytes.fromhex(digits)
    for name, digits in {
        "private": "3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a",
        "configuration": "01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e79815500"
        "080001000100010003",
        "request": "00034745540568747470730b6578616d706c652e636f6d012f",
        "ephemeral": "bc51d5e930bda26589890ac7032f70ad12e4ecb37abb1b65b1256c9c48999c73",
        "enc": "4b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b472",
        "info": "6d6573736167652f626874747020726571756573740001002000010001",
        "encapsulated": "010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208"
        "b4726374e469135906992e1268c594d2a10c695d858c40a026e7965e7d86b83dd440b2c0185204b4d63525",
        "response": "0140c8",
        "secret": "62d87a6ba569ee81014c2641f52bea36",
        "nonce": "c789e7151fcba46158ca84b04464910d",
        "key": "5d0172a080e428b16d298c4ea0db620d",
        "own_nonce": "f6bf1aeb88d6df87007fa263",
        "answer": "c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd",
    }.items()
}
