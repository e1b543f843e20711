import { useState } from "react";
import { kindIcons } from "../cards/icons";

interface PackageIconProps {
  /** A data URL, null for a package without a picture of its own. */
  icon: string | null;
  size: number;
}

/** The picture of a package; the usual one where its own cannot be drawn. */
export function PackageIcon({ icon, size }: PackageIconProps) {
  const [broken, setBroken] = useState<string | null>(null);
  const Usual = kindIcons.custom;
  if (icon === null || icon === broken) return <Usual size={size} />;
  return <img className="package-icon" src={icon} width={size} height={size} alt="" onError={() => setBroken(icon)} />;
}
