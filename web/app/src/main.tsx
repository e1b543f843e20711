import "@fontsource-variable/inter/index.css";
import "@fontsource-variable/jetbrains-mono/index.css";
import "./generated/theme.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { translator } from "./i18n/catalogue";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html holds no #root");
createRoot(root).render(<StrictMode>{translator("en")("app.name")}</StrictMode>);
