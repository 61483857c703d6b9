package io.fairlead.build.supply;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Elements of documents, by their names. */
final class Xml {
    private Xml() {}

    static Element read(Path file) throws IOException {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement();
        } catch (SAXException | ParserConfigurationException e) {
            throw new IOException("cannot be read as XML: " + file, e);
        }
    }

    /** The only child of a name. */
    static Element child(Element parent, String name) {
        List<Element> found = children(parent, name);
        if (found.size() != 1) {
            throw new IllegalStateException(
                    "one element is needed: name=" + name + ", found=" + found.size() + ", in=" + parent.getTagName());
        }
        return found.getFirst();
    }

    static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    /** The text of the first child of a name; empty if there is none. */
    static String text(Element parent, String name) {
        List<Element> found = children(parent, name);
        return found.isEmpty() ? "" : found.getFirst().getTextContent().strip();
    }
}
