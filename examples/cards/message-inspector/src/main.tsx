import { connect } from "@cardloom/card-sdk";
import { CardProvider } from "@cardloom/card-sdk/react";
import "@cardloom/card-sdk/kit.css";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./inspector.css";

const card = await connect();
const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <CardProvider card={card}>
      <App />
    </CardProvider>,
  );
}
