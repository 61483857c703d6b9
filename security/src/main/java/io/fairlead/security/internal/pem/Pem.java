package io.fairlead.security.internal.pem;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The text format of keys and certificates: base64 between lines with its type. */
public final class Pem {
    /** The label of a certificate. */
    public static final String CERTIFICATE = "CERTIFICATE";

    /** The label of a private key in PKCS#8. */
    public static final String PRIVATE_KEY = "PRIVATE KEY";

    /** The label of a private key in PKCS#8 under a password. */
    public static final String ENCRYPTED_PRIVATE_KEY = "ENCRYPTED PRIVATE KEY";

    /** The label of a revocation list. */
    public static final String REVOCATION_LIST = "X509 CRL";

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";
    private static final int LINE_LENGTH = 64;

    /**
     * One object of a file.
     *
     * @param label its type
     * @param content in DER
     */
    @SuppressWarnings("ArrayRecordComponent") // They are never compared.
    public record Block(String label, byte[] content) {}

    private Pem() {}

    /** Receives lines outside of objects. */
    public interface Outside {
        /**
         * A line between objects, before the first or after the last.
         *
         * @param line its text
         * @param number line number, from 1
         */
        void line(String line, int number);
    }

    /**
     * Reads the objects of a file; text between them is ignored.
     *
     * @param text the file's text
     * @return the objects in the order of the file
     * @throws IllegalArgumentException the fault, as a part of a sentence
     */
    public static List<Block> read(String text) {
        return read(text, (_, _) -> {});
    }

    /**
     * Reads the objects of a file, and passes on the lines between them.
     *
     * @param text the file's text
     * @param outside receives each other line, in order
     * @return the objects in the order of the file
     * @throws IllegalArgumentException the fault, as a part of a sentence
     */
    public static List<Block> read(String text, Outside outside) {
        List<Block> blocks = new ArrayList<>();
        String label = "";
        StringBuilder base64 = new StringBuilder();
        int number = 0;
        for (String raw : text.lines().toList()) {
            number++;
            String line = raw.strip();
            if (line.startsWith(BEGIN) && line.endsWith(DASHES)) {
                if (!label.isEmpty()) {
                    throw new IllegalArgumentException("has a " + label + " without an end");
                }
                label = line.substring(BEGIN.length(), line.length() - DASHES.length());
            } else if (line.startsWith(END) && !label.isEmpty()) {
                if (!line.equals(END + label + DASHES)) {
                    throw new IllegalArgumentException("has a " + label + " that ends as something else");
                }
                blocks.add(new Block(label, decode(label, base64.toString())));
                label = "";
                base64.setLength(0);
            } else if (!label.isEmpty()) {
                base64.append(line);
            } else {
                outside.line(raw, number);
            }
        }
        if (!label.isEmpty()) {
            throw new IllegalArgumentException("has a " + label + " without an end");
        }
        return blocks;
    }

    private static byte[] decode(String label, String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException damaged) {
            throw new IllegalArgumentException("has a " + label + " that is no base64", damaged);
        }
    }

    /**
     * Writes an object.
     *
     * @param label its type
     * @param content in DER
     * @return lines of text
     */
    public static String write(String label, byte[] content) {
        byte[] end = "\n".getBytes(StandardCharsets.US_ASCII);
        return BEGIN + label + DASHES + "\n"
                + Base64.getMimeEncoder(LINE_LENGTH, end).encodeToString(content)
                + "\n" + END + label + DASHES + "\n";
    }
}
