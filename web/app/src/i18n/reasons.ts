import type { ErrorCode } from "@cardloom/protocol";
import { texts, type TextRow } from "./texts";

/** Why a call failed, a row an error code: the server tells it in English, which is the detail behind the person's words. */
export const reasons = texts({
  "because.BAD_REQUEST": { en: "{detail}", ru: "запрос неверен ({detail})", zh: "请求有误（{detail}）" },
  "because.PROTOCOL_MISMATCH": { en: "{detail}", ru: "версии не сходятся, нужно обновление ({detail})", zh: "版本不一致，需要更新（{detail}）" },
  "because.METHOD_NOT_FOUND": { en: "{detail}", ru: "сервер этого не умеет ({detail})", zh: "服务器不支持此操作（{detail}）" },
  "because.INVALID_PARAMS": { en: "{detail}", ru: "так нельзя ({detail})", zh: "内容不符合要求（{detail}）" },
  "because.TOO_LARGE": { en: "{detail}", ru: "слишком много ({detail})", zh: "内容过大（{detail}）" },
  "because.NOT_READY": { en: "{detail}", ru: "ещё не готово ({detail})", zh: "尚未就绪（{detail}）" },
  "because.NOT_VISIBLE": { en: "{detail}", ru: "карточки нет на экране ({detail})", zh: "卡片不在屏幕上（{detail}）" },
  "because.PERMISSION_DENIED": { en: "{detail}", ru: "нет разрешения ({detail})", zh: "没有权限（{detail}）" },
  "because.NOT_CONNECTED": { en: "{detail}", ru: "нет стрелки между карточками ({detail})", zh: "卡片之间没有连线（{detail}）" },
  "because.NOT_FOUND": { en: "{detail}", ru: "этого больше нет ({detail})", zh: "找不到（{detail}）" },
  "because.RATE_LIMITED": { en: "{detail}", ru: "слишком часто ({detail})", zh: "操作过于频繁（{detail}）" },
  "because.QUOTA_EXCEEDED": { en: "{detail}", ru: "больше не помещается ({detail})", zh: "已达上限（{detail}）" },
  "because.TIMEOUT": { en: "{detail}", ru: "время вышло ({detail})", zh: "超时（{detail}）" },
  "because.UNAVAILABLE": { en: "{detail}", ru: "сейчас недоступно ({detail})", zh: "当前不可用（{detail}）" },
  "because.BUSY": { en: "{detail}", ru: "сейчас занято ({detail})", zh: "正忙（{detail}）" },
  "because.BUDGET_PAUSED": { en: "{detail}", ru: "приостановлено бюджетом ({detail})", zh: "已因预算暂停（{detail}）" },
  "because.USER_CANCELLED": { en: "{detail}", ru: "отменено ({detail})", zh: "已取消（{detail}）" },
  "because.HOST_NOT_ALLOWED": { en: "{detail}", ru: "этот адрес не разрешён ({detail})", zh: "不允许访问此地址（{detail}）" },
  "because.NETWORK_ERROR": { en: "{detail}", ru: "сбой сети ({detail})", zh: "网络错误（{detail}）" },
  "because.FS_DENIED": { en: "{detail}", ru: "нет доступа к файлам ({detail})", zh: "没有文件权限（{detail}）" },
  "because.FS_ERROR": { en: "{detail}", ru: "сбой при работе с файлами ({detail})", zh: "文件操作失败（{detail}）" },
  "because.INTERNAL": { en: "{detail}", ru: "ошибка в самом Cardloom ({detail})", zh: "Cardloom 内部错误（{detail}）" },
  "because.sentence": { en: "{told}.", ru: "{told}.", zh: "{told}。" },
  "because.words": { en: "{detail}", ru: "«{detail}»", zh: "“{detail}”" },
}) satisfies Readonly<Record<`because.${ErrorCode}`, TextRow>>;
