import type { NextConfig } from "next";

// `npm run dev` hands API calls to a running `litloop serve`; the exported page is served by that process itself.
const api = process.env.LITLOOP_API ?? "http://127.0.0.1:8000";
const developing = process.env.NODE_ENV === "development";

const config: NextConfig = {
  output: developing ? undefined : "export",
  trailingSlash: true,
  images: { unoptimized: true },
  poweredByHeader: false,
  // `npm run check` does this, on every file; a build need not do it a second time.
  typescript: { ignoreBuildErrors: true },
  reactStrictMode: true,
  // The page is the same for the same commit: what the server hashes into its policy does not change by the hour.
  generateBuildId: () => "litloop",
  ...(developing && {
    skipTrailingSlashRedirect: true,
    rewrites: () =>
      Promise.resolve({
        beforeFiles: [],
        afterFiles: [],
        fallback: [{ source: "/:path*", destination: `${api}/:path*` }],
      }),
  }),
};

export default config;
