import { notice } from "../lib/notice";
import { useStore } from "../lib/store";

export function Notice() {
  const text = useStore(notice);
  return (
    <div class="notice" role="status" data-shown={text !== ""}>
      {text}
    </div>
  );
}
