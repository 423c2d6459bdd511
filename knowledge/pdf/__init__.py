"""A PDF as pages of clean text, with physical page numbers and headings."""

from knowledge.pdf.pages import Block, Document, Kind, Page
from knowledge.pdf.reading import read_pdf, read_pdfs

__all__ = ["Block", "Document", "Kind", "Page", "read_pdf", "read_pdfs"]
