// A secret for `EmbeddedClient` in a page, as the README shows it.

/** What an IndexedDB request gives. */
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** The HMAC of a constant under a key that scripts can use and cannot read; it is made where there is none. */
export async function secretOfPage() {
  const opening = indexedDB.open("app-keys", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
  const database = await done(opening);
  const keys = (mode) => database.transaction("keys", mode).objectStore("keys");
  if (!(await done(keys("readonly").get("ldp")))) {
    const made = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    // Another tab may have been quicker: what is there stays.
    await done(keys("readwrite").add(made, "ldp")).catch(() => undefined);
  }
  const key = await done(keys("readonly").get("ldp"));
  database.close();
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode("ldp")));
}
