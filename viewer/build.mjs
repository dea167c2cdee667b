// build.mjs - makes dist/page.html, one file with everything in it; with --check says whether it is up to date
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const bundle = async (entry, more) => {
  const result = await build({
    entryPoints: [join(here, entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    target: "es2022",
    legalComments: "eof", // the licences of three.js and uPlot stay in the page
    ...more,
  });
  return result.outputFiles[0].text.trim();
};

const script = await bundle("src/main.ts", { format: "iife" });
const style = await bundle("src/style.css", { loader: { ".css": "css" } });
// Replacements are functions: "$&" in a script is no pattern.
const page = readFileSync(join(here, "src/page.html"), "utf8")
  .replace("/*STYLE*/", () => style)
  .replace("/*SCRIPT*/", () => script.replaceAll("</script", "<\\/script"));

const file = join(here, "dist/page.html");
if (process.argv.includes("--check")) {
  let there = "";
  try {
    there = readFileSync(file, "utf8");
  } catch {
    // Told below.
  }
  if (there !== page) {
    console.error("viewer/dist/page.html is not what the sources make: run make viewer, and commit it");
    process.exit(1);
  }
  console.log(`viewer/dist/page.html is up to date: ${page.length} characters`);
} else {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
  console.log(`wrote viewer/dist/page.html: ${page.length} characters`);
}
