package io.fairlead.metrics;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request that has been read, and its answer, which is kept until the handler has returned: whoever reads it slowly holds up no
 * handler. Belongs to the connection's thread.
 */
final class BufferedExchange extends HttpExchange {
    private static final int NOT_ANSWERED = -1;
    private static final int NO_CONTENT = 204;
    private static final URI NOWHERE = URI.create("/");
    private static final int NOT_MODIFIED = 304;

    private final Socket socket;
    private final String method;
    private final URI uri;
    private final String protocol;
    private final Headers requestHeaders;
    private final Headers responseHeaders = new Headers();
    private final Map<String, Object> attributes = new HashMap<>();
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    private InputStream in = InputStream.nullInputStream();
    private OutputStream out = answer;
    private int status = NOT_ANSWERED;
    private boolean malformed;

    BufferedExchange(Socket socket, String method, URI uri, String protocol, Headers requestHeaders) {
        this.socket = socket;
        this.method = method;
        this.uri = uri;
        this.protocol = protocol;
        this.requestHeaders = requestHeaders;
    }

    /** A request whose path or query is none. */
    static BufferedExchange malformed(Socket socket, String method, String protocol, Headers requestHeaders) {
        BufferedExchange exchange = new BufferedExchange(socket, method, NOWHERE, protocol, requestHeaders);
        exchange.malformed = true;
        return exchange;
    }

    /** Whether its path or query is none. */
    boolean isMalformed() {
        return malformed;
    }

    boolean isAnswered() {
        return status != NOT_ANSWERED;
    }

    /** Discards what the handler has written, so that another answer can replace it. */
    void restart() {
        status = NOT_ANSWERED;
        responseHeaders.clear();
        answer.reset();
    }

    /** Writes the answer as a whole; the connection ends with it. */
    void write(OutputStream connection) throws IOException {
        boolean empty = status == NO_CONTENT || status == NOT_MODIFIED;
        if (!empty && !(method.equals("HEAD") && responseHeaders.containsKey("Content-Length"))) {
            responseHeaders.set("Content-Length", Integer.toString(answer.size()));
        }
        responseHeaders.set("Connection", "close");
        StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append(" -\r\n");
        for (Map.Entry<String, List<String>> header : responseHeaders.entrySet()) {
            header.getValue()
                    .forEach(value -> head.append(header.getKey())
                            .append(": ")
                            .append(value)
                            .append("\r\n"));
        }
        connection.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        if (!empty && !method.equals("HEAD")) {
            answer.writeTo(connection);
        }
        connection.flush();
    }

    @Override
    public void sendResponseHeaders(int code, long length) throws IOException {
        if (isAnswered()) {
            throw new IOException("headers already sent");
        }
        status = code;
        if (length > 0) {
            responseHeaders.set("Content-Length", Long.toString(length));
        }
    }

    @Override
    public Headers getRequestHeaders() {
        return requestHeaders;
    }

    @Override
    public Headers getResponseHeaders() {
        return responseHeaders;
    }

    @Override
    public URI getRequestURI() {
        return uri;
    }

    @Override
    public String getRequestMethod() {
        return method;
    }

    @Override
    public HttpContext getHttpContext() {
        throw new UnsupportedOperationException("pages are served without an HttpContext");
    }

    @Override
    public void close() {
        // The connection closes when the handler has returned and its answer is written.
    }

    @Override
    public InputStream getRequestBody() {
        return in;
    }

    @Override
    public OutputStream getResponseBody() {
        return out;
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return (InetSocketAddress) Objects.requireNonNull(socket.getRemoteSocketAddress());
    }

    @Override
    public int getResponseCode() {
        return status;
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    @Override
    public String getProtocol() {
        return protocol;
    }

    @Override
    @SuppressWarnings("NullAway") // The JDK's own contract: null where there is none.
    public Object getAttribute(String name) {
        return attributes.get(name);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        if (value == null) {
            attributes.remove(name);
        } else {
            attributes.put(name, value);
        }
    }

    @Override
    public void setStreams(@Nullable InputStream input, @Nullable OutputStream output) {
        in = input == null ? in : input;
        out = output == null ? out : output;
    }

    @Override
    @SuppressWarnings("NullAway") // The JDK's own contract: null without authentication.
    public HttpPrincipal getPrincipal() {
        return null;
    }
}
