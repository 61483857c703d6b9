package io.fairlead.metrics;

import com.sun.net.httpserver.Headers;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;

/** Reads the head of a request, of which nothing is believed. Stateless. */
final class RequestReader {
    /** Request line and headers, in bytes. */
    static final int HEAD_MAX = 16 << 10;

    private RequestReader() {}

    /**
     * Reads up to the empty line behind the headers.
     *
     * @param in what the client sends
     * @param socket where from
     * @return the request, to be answered; also where its path or query is none
     * @throws IOException if this is no request of HTTP/1, or is longer than {@link #HEAD_MAX}
     */
    static BufferedExchange read(InputStream in, Socket socket) throws IOException {
        int[] left = {HEAD_MAX};
        String[] request = line(in, left).split(" ", -1);
        if (request.length != 3 || !request[2].startsWith("HTTP/1.")) {
            throw new IOException("no request of HTTP/1");
        }
        Headers headers = new Headers();
        for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new IOException("no header: " + line);
            }
            try {
                headers.add(line.substring(0, colon), line.substring(colon + 1).strip());
            } catch (IllegalArgumentException e) {
                throw new IOException("no header: " + line, e);
            }
        }
        try {
            return new BufferedExchange(socket, request[0], new URI(request[1]), request[2], headers);
        } catch (URISyntaxException e) {
            return BufferedExchange.malformed(socket, request[0], request[2], headers);
        }
    }

    private static String line(InputStream in, int[] left) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || --left[0] < 0) {
                throw new IOException(next < 0 ? "the request ends early" : "the request is too long");
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }
}
