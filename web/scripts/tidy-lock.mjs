// Takes addresses out of package-lock.json: where a package is fetched from is the installer's own affair, and where
// its authors take donations is no part of a lock. Versions and integrity hashes stay: they are what is checked.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const entry of Object.values(lock.packages)) {
  delete entry.resolved;
  delete entry.funding;
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
