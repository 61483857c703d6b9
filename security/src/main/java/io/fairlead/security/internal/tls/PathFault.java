package io.fairlead.security.internal.tls;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertPathValidatorException.Reason;

/** Why no path of signatures leads from a certificate to an authority, as text: the JDK's messages name its classes. */
final class PathFault {
    private static final int CAUSES_MAX = 16;

    private PathFault() {}

    static String of(Throwable refused) {
        Throwable at = refused;
        for (int i = 0; i < CAUSES_MAX && at != null; i++) {
            if (at instanceof CertPathValidatorException fault && fault.getReason() != BasicReason.UNSPECIFIED) {
                return of(fault.getReason(), fault);
            }
            if (at instanceof CertPathBuilderException && at.getCause() == null) {
                return "no chain of signatures leads from it to one of them";
            }
            if (at.getCause() == null) {
                return withoutClass(String.valueOf(at.getMessage()));
            }
            at = at.getCause();
        }
        return withoutClass(String.valueOf(refused.getMessage()));
    }

    private static String of(Reason reason, CertPathValidatorException fault) {
        return switch (reason) {
            case BasicReason.EXPIRED -> "a certificate between it and the authority has expired";
            case BasicReason.NOT_YET_VALID -> "a certificate between it and the authority is not valid yet";
            case BasicReason.INVALID_SIGNATURE -> "a signature on the way to the authority is wrong";
            case BasicReason.ALGORITHM_CONSTRAINED ->
                "its key or a signature is too weak: " + withoutClass(String.valueOf(fault.getMessage()));
            default -> withoutClass(String.valueOf(fault.getMessage()));
        };
    }

    private static String withoutClass(String message) {
        return message.replaceAll("\\b(?:[a-z][a-z0-9]*\\.)+[A-Z]\\w*(?:Exception|Error): ", "");
    }
}
