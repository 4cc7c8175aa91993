import { AskView } from "@/components/ask/ask-view";

export default function Page() {
  return <AskView />;
}
