import next from "eslint-config-next/core-web-vitals";
import typescript from "eslint-config-next/typescript";

const config = [
  { ignores: [".next/**", "out/**", "node_modules/**", "next-env.d.ts", "lib/api/schema.d.ts"] },
  ...next,
  ...typescript,
  {
    rules: {
      // Document text is data. Nothing on this page is ever set as markup.
      "react/no-danger": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      eqeqeq: "error",
    },
  },
];
export default config;
